//! Configuration and cases, loaded strictly. Each foreign spelling is translated here and nowhere else.
