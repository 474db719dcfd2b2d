import { relative } from 'node:path'
import { parseArgs } from 'node:util'
import { detailOf, isAgentError } from '../contract/errors.ts'
import { buildPlugin } from './build-plugin.ts'
import { writeManifestSchema } from './manifest-schema.ts'

const usage = `agent-plugin build [folder...] [--check] [--manifest-only]
agent-plugin check [folder]
agent-plugin schema [--check]

build   writes agent.plugin.json and dist/ of each folder (default: this one)
check   tries a plugin by every rule; exits 1 when one does not hold
schema  writes manifest.schema.json of the SDK
--check compares only; exits 1 when a generated file is stale`

interface Output {
  out(text: string): void
  note(text: string): void
}

/** The `agent-plugin` command; returns the exit code. */
export async function runCli(args: readonly string[], output: Output): Promise<number> {
  const misused = (problem: string): number => {
    output.note(`${problem}\n\n${usage}`)
    return 2
  }
  let given: ReturnType<typeof parse>
  try {
    given = parse(args)
  } catch (error) {
    return misused(detailOf(error))
  }
  const { values, positionals } = given
  const [command = 'help', ...folders] = values.help ? [] : positionals
  const { check = false, 'manifest-only': manifestOnly = false } = values
  if (command === 'build') return await buildAll(folders.length > 0 ? folders : ['.'], { check, manifestOnly }, output)
  if (command === 'schema') return await writeSchema(check, output)
  if (command !== 'help') return misused(`There is no command "${command}".`)
  output.out(usage)
  return 0
}

async function writeSchema(check: boolean, { note }: Output): Promise<number> {
  const stale = await writeManifestSchema({ check })
  if (stale) note(check ? 'manifest.schema.json is stale: run agent-plugin schema.' : 'manifest.schema.json written.')
  return stale && check ? 1 : 0
}

const parse = (args: readonly string[]) =>
  parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { check: { type: 'boolean' }, 'manifest-only': { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
  })

async function buildAll(
  folders: readonly string[],
  options: { readonly check: boolean; readonly manifestOnly: boolean },
  { out, note }: Output,
): Promise<number> {
  let failed = false
  for (const dir of folders) {
    try {
      const stale = await buildOne(dir, options, { out, note })
      failed ||= stale
    } catch (error) {
      if (!isAgentError(error)) throw error
      failed = true
      note(error.message)
    }
  }
  return failed ? 1 : 0
}

/** Whether the folder would have to be built again, where it is only compared. */
async function buildOne(
  dir: string,
  options: { readonly check: boolean; readonly manifestOnly: boolean },
  { out, note }: Output,
): Promise<boolean> {
  const { manifest, file, changed, outputs, untried, notices = [] } = await buildPlugin({ dir, types: true, ...options })
  if (untried !== undefined) note(`Note: ${untried}.`)
  for (const notice of notices) note(`Note: ${notice}`)
  const stale = options.check && changed
  if (stale) note(`${relative('.', file)} is stale: run agent-plugin build ${dir}.`)
  else if (!options.check) out(`${manifest.id}: ${outputs.length === 0 ? 'manifest is valid' : outputs.join(', ')}`)
  return stale
}
