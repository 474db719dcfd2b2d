import { isUtf8 } from 'node:buffer'
import { readFile } from 'node:fs/promises'
import { isAbsolute, join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { fail } from '@agent/plugin-sdk/errors'
import type { Cli } from '../console/cli.ts'

/** Where the text of a message comes from. */
export interface BodySource {
  readonly target: string
  readonly words: readonly string[]
  readonly file?: string
}

const mostBytes = 256 * 1024

/** The text of a message: the words of the command line, a text file, or what is piped in. */
export async function readBody(cli: Cli, { target, words, file }: BodySource): Promise<string> {
  if (words.length > 0 && file !== undefined) {
    throw fail('USAGE', { problem: 'The text is given twice, as words and with --file.', try: `agent send ${target} --file ${file}` })
  }
  if (words.length > 0) return requireText(target, words.join(' '))
  if (file !== undefined) return requireText(target, await readTextFile(cli, target, file))
  const isPiped = cli.input.isTTY !== true
  return requireText(target, isPiped ? decode(await buffer(cli.input), () => notText(target, 'What is piped in', 'PATH')) : '')
}

async function readTextFile(cli: Cli, target: string, file: string): Promise<string> {
  const path = isAbsolute(file) ? file : join(cli.cwd, file)
  const bytes = await readFile(path).catch((error: unknown) => {
    throw fail('MEDIA_MISSING', { path: file }, { cause: error })
  })
  return decode(bytes, () => notText(target, file, path))
}

function decode(bytes: Buffer, wrong: () => Error): string {
  if (bytes.includes(0) || !isUtf8(bytes)) throw wrong()
  if (bytes.length > mostBytes) throw fail('MEDIA_TOO_LARGE', { limit: mostBytes })
  return bytes.toString('utf8').replace(/^\uFEFF/, '')
}

function notText(target: string, name: string, path: string): Error {
  const problem = `${name} is not text. --file is for the words of a message; a file goes along with a MEDIA: line in them.`
  return fail('USAGE', { problem, try: `agent send ${target} "MEDIA:${path}"` })
}

function requireText(target: string, text: string): string {
  if (text.trim() !== '') return text
  throw fail('USAGE', { problem: 'There is nothing to say.', try: `agent send ${target} "Hello."` })
}
