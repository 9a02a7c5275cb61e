//! STUB
pub mod rule {
    use crate::instructions::{Document, Statement, units};
    pub enum Inversion { Inverted(String), Refused(Refusal) }
    pub struct Refusal { pub reason: RefusalReason }
    pub enum RefusalReason { None }
    impl RefusalReason { pub fn name(&self) -> &'static str { "stub" } pub fn advice(&self) -> &'static str { "stub" } }
    pub fn invert(t: &str) -> Inversion { if let Some(r) = t.strip_prefix("Never ") { Inversion::Inverted(format!("Always {r}")) } else if let Some(r)=t.strip_prefix("Do not ") { Inversion::Inverted(r.to_owned()) } else { Inversion::Inverted(format!("Do not {t}")) } }
    pub fn weaken(t: &str) -> Inversion { invert(t) }
    pub fn control(d: &Document, q: &[Statement], _avoid: &[String], seed: u64) -> Result<Statement, String> {
        let u: Vec<_> = units(d).into_iter().filter(|u| !q.iter().any(|s| s.range.start < u.range.end && u.range.start < s.range.end) && d.text()[u.range.clone()].len() > 20 && u.kind == crate::instructions::UnitKind::Item).collect();
        if u.is_empty() { return Err("none".into()); }
        let u = &u[seed as usize % u.len()];
        Ok(Statement { range: u.range.clone(), line: d.line_column(u.range.start).0, column: 1, text: d.text()[u.range.clone()].to_owned() })
    }
}
