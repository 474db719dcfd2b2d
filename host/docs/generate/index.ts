import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, manifestSchema } from '@agent/plugin-sdk'
import { describeCommandLine, describeSlashCommands } from './command-line.ts'
import { describeConfiguration } from './configuration.ts'
import { describeEnvironment } from './environment.ts'
import { describeErrors, describeReasons } from './errors.ts'
import { describeHooks } from './hooks.ts'
import { formatPage, type Page } from './markdown.ts'
import { describePlugins } from './plugins.ts'

/** All pages of the reference, made from the program's own tables. */
export async function describeProgram(root: string): Promise<readonly Page[]> {
  const manifests = readManifests(join(root, 'plugins'))
  const pages = [
    describeConfiguration(),
    describeEnvironment(manifests),
    await describeCommandLine(),
    describeSlashCommands(),
    describePlugins(manifests),
    describeErrors(),
    describeReasons(),
    describeHooks(readFileSync(join(root, 'host', 'src', 'kernel', 'hook-list.ts'), 'utf8')),
  ]
  const links = pages.map(({ name, text }) => `- [${/^# (.*)$/m.exec(text)?.[1]}](${name}.md)`)
  return [...pages, formatPage('README', 'Reference', [links.join('\n')])]
}

function readManifests(folder: string): readonly Manifest[] {
  const files = readdirSync(folder).flatMap((kind) =>
    readdirSync(join(folder, kind)).map((name) => join(folder, kind, name, 'agent.plugin.json')),
  )
  return files
    .map((file) => manifestSchema.parse(JSON.parse(readFileSync(file, 'utf8'))))
    .sort((one, other) => (one.id < other.id ? -1 : 1))
}
