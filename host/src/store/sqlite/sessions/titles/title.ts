import { fail } from '@agent/plugin-sdk/errors'

const longest = 100

/** The title as it is stored: no control, zero-width or direction characters, single blanks. */
export function cleanTitle(title: string): string {
  const clean = title
    .normalize('NFC')
    .replace(/\s+/gu, ' ')
    .replace(/[\p{Cc}\p{Cf}]/gu, '')
    .replace(/ +/g, ' ')
    .trim()
  if (clean === '') throw fail('TITLE_INVALID', { reason: 'nothing that can be shown is left of it' })
  if ([...clean].length > longest) throw fail('TITLE_INVALID', { reason: `it is longer than ${longest} characters` })
  return clean
}

/** `name #3` is the third of the lineage `name`; a title without number is the first. */
export function parseLineage(title: string): { readonly name: string; readonly number: number } {
  const match = /^(.*\S) #([1-9]\d{0,5})$/su.exec(title)
  return match?.[1] && match[2] ? { name: match[1], number: Number(match[2]) } : { name: title, number: 1 }
}

/** A later title of a lineage, shortened so that the number fits. */
export function formatLineage(name: string, number: number): string {
  const suffix = ` #${number}`
  return (
    [...name]
      .slice(0, longest - suffix.length)
      .join('')
      .trimEnd() + suffix
  )
}
