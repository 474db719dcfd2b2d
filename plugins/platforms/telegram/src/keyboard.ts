import type { Button } from '@agent/plugin-sdk'

/** Labels up to this length stand side by side. */
const shortLabel = 14
const inRow = 3

/** An inline keyboard; undefined takes an existing one away. */
export function formatKeyboard(buttons: readonly Button[] = []): { inline_keyboard: unknown[][] } | undefined {
  if (buttons.length === 0) return undefined
  const keys = buttons.map(({ id, label }) => ({ text: label, callback_data: id }))
  const width = buttons.every(({ label }) => label.length <= shortLabel) ? inRow : 1
  const rows = Array.from({ length: Math.ceil(keys.length / width) }, (_, row) => keys.slice(row * width, (row + 1) * width))
  return { inline_keyboard: rows }
}
