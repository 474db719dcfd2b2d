import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve, sep } from 'node:path'
import { fail, isAgentError } from '@agent/plugin-sdk/errors'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { ensureFolder, type Home, homeOf } from '#config/home/home.ts'
import { defaultProfile } from '#config/home/profile-name.ts'
import type { WrittenConversation } from '#eval/read-conversations.ts'
import { manifestName } from '#kernel/installed/manifest-file.ts'
import { fileReason, readText } from '#kernel/read-text.ts'
import { skillFile } from '#skills/find-skills.ts'
import { placeSkill } from '#skills/place-skill.ts'
import type { WorldSettings } from './world-settings.ts'

/** A home and a workspace for one conversation, gone when it is over. */
export interface World extends Disposable {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly workspace: string
  /** What of it was not to be had, a sentence each. */
  readonly problems: readonly string[]
  /** The text of a file of the workspace. */
  readFile(path: string): string | undefined
}

const mostBytes = 4 * 1024 * 1024

/** Makes them as the conversation wants them. Rejects where its files cannot lie beside each other. */
export function openWorld(
  conversation: WrittenConversation,
  settings: WorldSettings,
  environment: Readonly<Record<string, string | undefined>>,
): World {
  const folder = mkdtempSync(join(tmpdir(), 'agent-eval-'))
  const [root, workspace, script] = [join(folder, 'home'), join(folder, 'work'), join(folder, 'script.yaml')]
  const close = (): void => rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
  try {
    const home = homeOf(ensureFolder(root), defaultProfile)
    settle(home, conversation, settings)
    for (const [path, text] of Object.entries({ '': undefined, ...conversation.files })) place(join(workspace, path), text)
    writeScript(conversation, script)
    const scripted = conversation.script === undefined ? undefined : script
    return {
      workspace,
      environment: { ...environment, AGENT_HOME: root, AGENT_OFFLINE_SCRIPT: scripted },
      problems: [...placeSkills(conversation, home.files.skills), ...linkPlugins(conversation, home.files.pluginsLocal)],
      readFile: (path) => readFile(workspace, path),
      [Symbol.dispose]: close,
    }
  } catch (error) {
    close()
    throw isAgentError(error) ? error : fail('EVAL_INVALID', { ...placeOfFiles(conversation), key: 'files', problem: fileReason(error) })
  }
}

const placeOfFiles = ({ shownFile: file, lineOf }: WrittenConversation): { readonly file: string; readonly line: number } => ({
  file,
  line: lineOf(['files']),
})

function settle({ path, files }: Home, conversation: WrittenConversation, settings: WorldSettings): void {
  writeFileAtomic(files.config, JSON.stringify(configOf(conversation, settings)), { mayBeLost: true })
  if (settings.variables !== undefined) writeFileAtomic(files.env, settings.variables, { mayBeLost: true })
  for (const { from, to } of settings.links) {
    // Those that it names take the place of what somebody works on in the home.
    if (conversation.plugins.length > 0 && join(path, to) === files.pluginsLocal) continue
    ensureFolder(dirname(join(path, to)))
    symlinkSync(from, join(path, to))
  }
}

/** Writes a file, or makes a folder. */
function place(path: string, text: string | undefined): void {
  mkdirSync(text === undefined ? path : dirname(path), { recursive: true })
  if (text !== undefined) writeFileSync(path, text)
}

/** What would make two runs differ, or write more than the conversation, is off. */
function configOf({ toolsets }: WrittenConversation, { config }: WorldSettings): object {
  return {
    ...config,
    sessions: { auto_title: false },
    checkpoints: { enabled: false },
    ...(toolsets === undefined ? {} : { platforms: { cli: { toolsets } } }),
  }
}

function placeSkills({ skills, file, placeOf }: WrittenConversation, home: string): readonly string[] {
  return skills.flatMap((path, index) => {
    const folder = resolve(dirname(file), path)
    if (!existsSync(join(folder, skillFile)))
      return [`${placeOf(['skills', index])}: the skill ${basename(folder)} is not there: ${join(path, skillFile)} is missing`]
    placeSkill(folder, join(home, basename(folder)))
    return []
  })
}

/** A linked plugin is one that is worked on: it is on. */
function linkPlugins({ plugins, file, placeOf }: WrittenConversation, local: string): readonly string[] {
  return plugins.flatMap((path, index) => {
    const folder = resolve(dirname(file), path)
    if (!existsSync(join(folder, manifestName)))
      return [`${placeOf(['plugins', index])}: the plugin ${path} is not there: ${join(path, manifestName)} is missing`]
    symlinkSync(folder, join(ensureFolder(local), String(index)))
    return []
  })
}

/** As the offline model reads it; each step is told by where it stands. */
function writeScript({ script, skills, file, placeOf }: WrittenConversation, path: string): void {
  if (script === undefined) return
  const names = skills.map((skill) => basename(resolve(dirname(file), skill)))
  const whose = names.length === 0 ? '' : ` with the ${names.length > 1 ? 'skills' : 'skill'} ${names.join(', ')}`
  const turns = script.map((step, index) => ({ name: `${placeOf(['script', index])}: step ${index + 1} of the script${whose}`, ...step }))
  writeFileSync(path, JSON.stringify({ turns }))
}

/** What a link leads to outside of the workspace is none of its files. */
function readFile(workspace: string, path: string): string | undefined {
  const file = join(workspace, path)
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) return undefined
  return realpathSync(file).startsWith(`${realpathSync(workspace)}${sep}`) ? readText(file, { mostBytes }) : undefined
}
