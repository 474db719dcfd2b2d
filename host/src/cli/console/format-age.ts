const units = [
  { ms: 86_400_000, name: 'd' },
  { ms: 3_600_000, name: 'h' },
  { ms: 60_000, name: 'min' },
  { ms: 1000, name: 's' },
] as const

/** A length of time in its largest whole unit: `3 h`, `12 s`. */
export function formatAge(ms: number): string {
  const unit = units.find((each) => ms >= each.ms) ?? { ms: 1000, name: 's' }
  return `${Math.floor(Math.max(ms, 0) / unit.ms)} ${unit.name}`
}
