import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

export interface PluginFolder {
  readonly dir: string
  write(files: Readonly<Record<string, string>>): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

/** A plugin folder outside of the repository, with nothing installed in it; for tests of the build. */
export async function openPluginFolder(files: Readonly<Record<string, string>>): Promise<PluginFolder> {
  const dir = await mkdtemp(join(tmpdir(), 'plugin-folder-'))
  const write = async (more: Readonly<Record<string, string>>): Promise<void> => {
    for (const [name, text] of Object.entries(more)) {
      await mkdir(dirname(join(dir, name)), { recursive: true })
      await writeFile(join(dir, name), text)
    }
  }
  await write({ 'package.json': JSON.stringify({ name: 'x', version: '1.2.3', license: 'MIT', type: 'module' }), ...files })
  return { dir, write, [Symbol.asyncDispose]: () => rm(dir, { recursive: true, force: true }) }
}
