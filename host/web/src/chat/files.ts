import type { PromptFile } from '../../../src/rpc/protocol.ts'
import { readPicture } from './picture.ts'

export interface Added {
  readonly files: readonly PromptFile[]
  /** Why some were left out, in words. */
  readonly problems: readonly string[]
}

export const mostFiles = 5
const mostTextBytes = 100 * 1024
/** All files of one message as they are sent: one frame of the connection takes a mebibyte, and the text of the message is in it. */
const mostBytes = 850 * 1024

/** Takes files of a person's machine into a message that has some already. */
export async function addFiles(had: readonly PromptFile[], given: readonly File[]): Promise<Added> {
  let files = had
  const problems: string[] = []
  for (const file of given) {
    const name = nameOf(file)
    if (files.length >= mostFiles) {
      problems.push(`${name} was left out: a message takes ${mostFiles} files.`)
      continue
    }
    const read = await readFile(file, name)
    if (typeof read === 'string') problems.push(read)
    else if (sizeOf([...files, read]) > mostBytes)
      problems.push(`${name} was left out: the files of a message are too large together. Send it in the next one.`)
    else files = [...files, read]
  }
  return { files, problems }
}

/** What is pasted may have none. */
export function nameOf({ name }: Pick<File, 'name'>): string {
  return name || 'picture'
}

async function readFile(file: File, name: string): Promise<PromptFile | string> {
  if (file.type.startsWith('image/') && file.type !== 'image/svg+xml') return readPicture(file, name)
  if (file.size > mostTextBytes) return `${name} was left out: a text may have 100 kB. Put it into the agent's folder and name it.`
  const text = await readText(file)
  return text === undefined ? `${name} was left out: it is neither a text nor a picture.` : { name, text }
}

async function readText(file: File): Promise<string | undefined> {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer())
    return text.includes('\0') ? undefined : text
  } catch {
    return undefined
  }
}

function sizeOf(files: readonly PromptFile[]): number {
  return new TextEncoder().encode(JSON.stringify(files)).length
}

/** What a chat shows of a file that was not sent yet. */
export function shownFile(file: PromptFile): {
  readonly name: string
  readonly kind: 'text' | 'image'
  readonly preview?: string | undefined
} {
  return 'text' in file ? { name: file.name, kind: 'text' } : { name: file.name, kind: 'image', preview: file.preview }
}
