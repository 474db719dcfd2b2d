import { basename } from 'node:path'
import type { InputPart } from '@agent/plugin-sdk'

/** A name comes from strangers: one line, short, without signs that could end the sentence it stands in; empty where nothing is left. */
export function cleanName(name: string): string {
  return (
    basename(name)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these do not belong into a name
      .replace(/[\u0000-\u001f\u007f"()[\]\u2028\u2029]/g, ' ')
      .trim()
      .slice(0, 100)
  )
}

/** The text of a file as a model gets it: marked as a file, and as a quote, so that nothing in it can pass for what the person says. */
export function quoteFile(file: string, shown: string, text: string): InputPart {
  return { type: 'text', text: `(File ${shown}, its text:)\n${quoteLines(text)}`, file }
}

/** Line by line, whatever a reader may take for the end of one. */
export function quoteLines(text: string): string {
  const lines = text.split(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/)
  return lines.map((line) => `> ${line}`).join('\n')
}
