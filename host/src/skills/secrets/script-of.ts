import { resolve } from 'node:path'

const program = /^(?:(?:\/usr)?\/bin\/)?(?:bash|sh|dash|python3?|node|ruby|perl)$/
/** Nothing in it that a shell does anything with. */
const plainWord = /(?:'[^'\n]*'|"[^"$`\\!\n]*"|[\w./@%+:,=-])+/
const plain = new RegExp(`^ *${plainWord.source}(?: +${plainWord.source})* *$`)

/**
 * The file that a command starts while it does nothing else: a program that runs scripts with a file behind it, or a file by its path. What
 * a shell would do more for is no such command: another program could be told there what the script is told.
 */
export function scriptOf(command: string, folder: string): string | undefined {
  if (!plain.test(command)) return undefined
  const [first = '', second = ''] = [...command.matchAll(new RegExp(plainWord, 'g'))].map(([word]) => word.replaceAll(/['"]/g, ''))
  if (!program.test(first)) return first.includes('/') && !first.includes('=') ? resolve(folder, first) : undefined
  return second === '' || second.startsWith('-') ? undefined : resolve(folder, second)
}
