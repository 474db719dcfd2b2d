import { existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join, resolve } from 'node:path'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { ensureFolder, homeOf } from '#config/home/home.ts'
import { defaultProfile } from '#config/home/profile-name.ts'
import type { WrittenConversation } from '#eval/read-conversations.ts'
import { readText } from '#kernel/read-text.ts'
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

export function openWorld(
  conversation: WrittenConversation,
  settings: WorldSettings,
  environment: Readonly<Record<string, string | undefined>>,
): World {
  const folder = mkdtempSync(join(tmpdir(), 'agent-eval-'))
  const [root, workspace] = [join(folder, 'home'), join(folder, 'work')]
  const home = homeOf(ensureFolder(root), defaultProfile)
  ensureFolder(workspace)
  writeFileSync(home.files.noBundledSkills, '')
  writeFileAtomic(home.files.config, JSON.stringify(configOf(conversation, settings)), { mayBeLost: true })
  if (settings.variables !== undefined) writeFileAtomic(home.files.env, settings.variables, { mayBeLost: true })
  for (const { from, to } of settings.links) {
    ensureFolder(dirname(join(root, to)))
    symlinkSync(from, join(root, to))
  }
  for (const [path, text] of Object.entries(conversation.files)) {
    ensureFolder(dirname(join(workspace, path)))
    writeFileSync(join(workspace, path), text)
  }
  const script = writeScript(conversation, join(folder, 'script.yaml'))
  return {
    workspace,
    environment: { ...environment, AGENT_HOME: root, ...(script === undefined ? {} : { AGENT_OFFLINE_SCRIPT: script }) },
    problems: placeSkills(conversation, home.files.skills),
    readFile: (path) => readFile(join(workspace, path)),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }),
  }
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

/** As the offline model reads it; each step is told by where it stands. */
function writeScript({ script, skills, file, placeOf }: WrittenConversation, path: string): string | undefined {
  if (script === undefined) return undefined
  const names = skills.map((skill) => basename(resolve(dirname(file), skill)))
  const whose = names.length === 0 ? '' : ` with the ${names.length > 1 ? 'skills' : 'skill'} ${names.join(', ')}`
  const turns = script.map((step, index) => ({ name: `${placeOf(['script', index])}: step ${index + 1} of the script${whose}`, ...step }))
  writeFileSync(path, JSON.stringify({ turns }))
  return path
}

function readFile(path: string): string | undefined {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ? readText(path, { mostBytes }) : undefined
}
