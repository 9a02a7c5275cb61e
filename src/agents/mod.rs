//! What can be asked. An agent knows no case and no matcher: it turns a request into a transcript or an error.
