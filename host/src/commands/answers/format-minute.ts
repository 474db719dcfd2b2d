/** A day and a minute where the program runs: 2026-11-26 09:05. */
export function formatMinute(at: number): string {
  return new Date(at).toLocaleString('sv-SE').slice(0, 16)
}
