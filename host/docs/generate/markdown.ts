/** One page of the reference. */
export interface Page {
  /** From the root of the repository. */
  readonly file: string
  readonly text: string
}

/** A page of the folder `host/docs/reference`. */
export function formatPage(name: string, title: string, parts: readonly string[]): Page {
  return { file: `host/docs/reference/${name}.md`, text: formatText(title, parts) }
}

/** A title and what stands under it, marked as generated. */
export function formatText(title: string, parts: readonly string[]): string {
  const note = '<!-- Generated from the program by `npm run generate`: change the program, not this page. -->'
  return `${[`# ${title}`, note, ...parts].join('\n\n')}\n`
}

/** A table; a cell may hold any text. */
export function formatTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.map(escapeCell).join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

/** Text as code; nothing where there is none. */
export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``
}

function escapeCell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ')
}
