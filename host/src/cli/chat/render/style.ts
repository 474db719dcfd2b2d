/** Numbers of a terminal's styles, as they stand in its control sequence; empty: as it comes. */
export type Style = string

/** A piece of text that looks the same all along. */
export interface Run {
  readonly text: string
  readonly style: Style
}

/** Text on one line of the screen. */
export type Line = readonly Run[]

export const styles = {
  bold: '1',
  dim: '2',
  italic: '3',
  underline: '4',
  strike: '9',
  red: '31',
  green: '32',
  yellow: '33',
  blue: '34',
  magenta: '35',
  cyan: '36',
} as const

/** A style on top of another. */
export function mix(under: Style, over: Style): Style {
  if (under === '' || under === over) return over
  return over === '' ? under : `${under};${over}`
}

export function run(text: string, style: Style = ''): Run {
  return { text, style }
}

/** A line as it is written: it opens and closes its own styles, so that it can stand anywhere. Spaces at its end are left out. */
export function print(line: Line, colour: boolean): string {
  const last = line.findLastIndex(({ text }) => text.trimEnd() !== '')
  let printed = ''
  let open = ''
  for (const [index, { text, style }] of line.slice(0, last + 1).entries()) {
    if (text === '') continue
    if (colour && style !== open) {
      printed += `${open === '' ? '' : '\u001b[0m'}${style === '' ? '' : `\u001b[${style}m`}`
      open = style
    }
    printed += index === last ? text.trimEnd() : text
  }
  return open === '' ? printed : `${printed}\u001b[0m`
}
