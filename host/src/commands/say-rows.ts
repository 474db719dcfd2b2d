import type { SlashDoor, TermRow } from './slash.ts'

/** Says a list: in columns where the door can, else a line for each. */
export function sayRows(door: Pick<SlashDoor, 'say' | 'sayRows'>, rows: readonly TermRow[]): void {
  if (door.sayRows) door.sayRows(rows)
  else door.say(joinRows(rows))
}

/** Without columns: a narrow window and a letter that is not as wide as the next one break them. */
export function joinRows(rows: readonly TermRow[]): string {
  return rows.map((row) => row.filter((part) => part !== '').join(': ')).join('\n')
}
