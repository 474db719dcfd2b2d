import { variablesWithoutEffect, withoutEffect } from '../../src/config/file/without-effect.ts'

/** Keys that are read and checked, and that nothing in this version acts upon; a section stands for all of its keys. */
export const keysWithoutEffect: readonly string[] = Object.keys(withoutEffect)

const unread = new Set(['AGENT_TUI', ...variablesWithoutEffect.map(({ name }) => name)])

/** What a table says about a key that does nothing yet. */
export function effectOfKey(key: string): string {
  if (key.startsWith('auxiliary.')) return /(?:provider|model)$/.test(key) ? 'of `approval` only' : 'not in this version'
  return keysWithoutEffect.some((one) => key === one || key.startsWith(`${one}.`)) ? 'not in this version' : ''
}

export function effectOfVariable(name: string): string {
  return unread.has(name) ? 'not in this version' : ''
}

const refused: Readonly<Record<string, readonly string[]>> = {
  'agent chat': ['--tui'],
}

/** Options that are known by name and refused, because what they ask for is not built yet. */
export function effectOfOption(command: string, long: string): string {
  return refused[command]?.includes(long) ? ' (refused: not in this version)' : ''
}
