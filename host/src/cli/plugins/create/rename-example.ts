import { existsSync, readdirSync } from 'node:fs'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join, relative, sep } from 'node:path'
import { manifestName } from '#kernel/installed/manifest-file.ts'
import { contractKinds } from '#kernel/kinds.ts'

/** It leads to the schema beside the examples; where code is built, the build writes the right one. */
const schemaLine = /^ *"\$schema": .*\n/m

/** The kinds of which an example is there. Examples of several kinds at once are for reading. */
export function listKinds(examples: string): readonly string[] {
  const known: readonly string[] = contractKinds
  return existsSync(examples)
    ? readdirSync(examples, { withFileTypes: true }).flatMap((entry) =>
        entry.isDirectory() && known.includes(entry.name) ? [entry.name] : [],
      )
    : []
}

/** Copies an example under another name. The word `sample` in it and in the names of its files stands for the name, in each of its spellings. */
export async function copyExample(from: string, to: string, name: string): Promise<readonly string[]> {
  const entries = (await readdir(from, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())
  const files = entries.map((entry) => relative(from, join(entry.parentPath, entry.name)))
  const own = files.filter((file) => !file.split(sep).some((part) => part === 'dist' || part === 'node_modules'))
  const paths: string[] = []
  for (const file of own) {
    const path = join(to, rename(file, name))
    await mkdir(dirname(path), { recursive: true })
    const text = await readFile(join(from, file), 'utf8')
    await writeFile(path, rename(file === manifestName ? text.replace(schemaLine, '') : text, name))
    paths.push(path)
  }
  return paths
}

/** `my-dice` is also `my_dice`, `MY_DICE` and `My Dice`, and needs quotes as a key. */
export function rename(text: string, name: string): string {
  const words = name.split('-')
  return text
    .replace(/\bsample(?=: \{)/g, words.length > 1 ? `'${name}'` : name)
    .replaceAll('SAMPLE', words.join('_').toUpperCase())
    .replaceAll('Sample', words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(' '))
    .replaceAll('sample_', `${words.join('_')}_`)
    .replaceAll('sample', name)
}
