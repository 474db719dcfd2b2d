import type { ServerSettings } from './config.ts'

/** Whether the settings want a tool: `include` wins where it is given. `*` stands for any letters. */
export function isWanted(tool: string, { include, exclude }: Pick<ServerSettings['tools'], 'include' | 'exclude'>): boolean {
  if (include.length > 0) return include.some((glob) => fits(tool, glob))
  return !exclude.some((glob) => fits(tool, glob))
}

/** Without a pattern of the language, which could take for ever. */
function fits(text: string, glob: string): boolean {
  const parts = glob.split('*')
  const [first = '', ...rest] = parts
  if (rest.length === 0) return text === glob
  const last = rest.pop() ?? ''
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return false
  let at = first.length
  for (const part of rest) {
    const found = text.indexOf(part, at)
    if (found === -1 || found + part.length > text.length - last.length) return false
    at = found + part.length
  }
  return true
}
