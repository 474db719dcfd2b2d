import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { manifestSchema } from '@agent/plugin-sdk'
import { describeCommandLine, describeSlashCommands } from './command-line.ts'
import { describeConfiguration } from './configuration.ts'
import { describeContracts } from './contracts.ts'
import { describeEnvironment } from './environment.ts'
import { describeErrors, describeReasons, describeRefusals } from './errors.ts'
import { describeHooks } from './hooks.ts'
import { formatPage, type Page } from './markdown.ts'
import { type BundledPlugin, describePlugin, listPlugins } from './plugins.ts'
import { describeRules } from './rules.ts'

/** All pages of the reference, made from the program's own tables; each plugin has its own in its folder, and the contracts have theirs beside the guides. */
export async function describeProgram(root: string): Promise<readonly Page[]> {
  const bundled = readPlugins(root)
  const pages = [
    describeConfiguration(),
    describeEnvironment(),
    await describeCommandLine(),
    describeSlashCommands(),
    describeErrors(),
    describeReasons(),
    describeRefusals(),
    describeHooks(readFileSync(join(root, 'plugin-sdk', 'src', 'contract', 'hooks.ts'), 'utf8')),
    describeRules(),
    listPlugins(bundled),
  ]
  const links = pages.map(({ file, text }) => `- [${/^# (.*)$/m.exec(text)?.[1]}](${basename(file)})`)
  return [...pages, formatPage('README', 'Reference', [links.join('\n')]), ...bundled.map(describePlugin), ...describeContracts(root)]
}

function readPlugins(root: string): readonly BundledPlugin[] {
  const folders = readdirSync(join(root, 'plugins')).flatMap((kind) =>
    readdirSync(join(root, 'plugins', kind)).map((name) => `plugins/${kind}/${name}`),
  )
  return folders
    .filter((folder) => existsSync(join(root, folder, 'agent.plugin.json')))
    .map((folder) => ({
      folder,
      manifest: manifestSchema.parse(JSON.parse(readFileSync(join(root, folder, 'agent.plugin.json'), 'utf8'))),
    }))
}
