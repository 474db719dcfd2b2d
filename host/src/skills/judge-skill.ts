import { lstatSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { type Skill, skillFileLimit } from '@agent/plugin-sdk'
import { hashFiles, isLink } from '#kernel/installed/plugin-files.ts'
import { scanName, scanText } from '#kernel/scan-text.ts'
import { skillFile } from './find-skills.ts'
import { parseSkillFile } from './parse-skill-file.ts'
import { scanAbout } from './scan-about.ts'
import type { AboutSkill } from './skill-memory.ts'

/** `safe`: nothing was found; `caution`: a person has to look; `dangerous`: it is not installed, whatever anybody says. */
export type SkillVerdict = 'safe' | 'caution' | 'dangerous'

export interface JudgedSkill {
  readonly skill: Omit<Skill, 'text'>
  readonly files: readonly string[]
  readonly verdict: SkillVerdict
  /** A sentence each. */
  readonly findings: readonly string[]
}

const most = { files: 200, bytes: 2 * 1024 * 1024 } as const

/** What a page of instructions does not need, and what asks for a look. */
const pipedToShell = /\b(?:curl|wget)\b[^\n|]{0,300}\|\s*(?:sudo\s+)?(?:ba|z|da)?sh\b/i
const destructive = /\brm\s+-[a-z]*r[a-z]*f?[a-z]*\s+(?:\/|~|\$HOME)(?:\s|$|\/\*)|\bmkfs\.|\bdd\s+if=[^\n]{0,200}of=\/dev\//i
const persistent = /\bcrontab\b|\.bashrc\b|\.zshrc\b|authorized_keys\b|systemctl\s+enable/i
const script = /\.(?:sh|bash|zsh|py|js|mjs|cjs|ts|rb|pl|ps1|bat|cmd)$/i

/** Looks at the files of a skill that somebody else wrote; a sentence where it is none. */
export async function judgeSkill(folder: string): Promise<JudgedSkill | { readonly problem: string }> {
  const parsed = await parseSkillFile(folder)
  if (!parsed.ok) return { problem: `its ${skillFile} ${parsed.problem}` }
  const files = hashFiles(folder)
  const link = files.find(({ path }) => isLink(join(folder, path)))
  if (link) return { problem: `it contains a link: ${show(link.path)}` }
  if (files.length > most.files) return { problem: `it has more than ${most.files} files` }
  const bytes = files.reduce((sum, { path }) => sum + lstatSync(join(folder, path)).size, 0)
  if (bytes > most.bytes) return { problem: `it is larger than ${most.bytes / 1024 / 1024} MiB` }
  const { text: _, ...skill } = parsed.skill
  const paths = files.map(({ path }) => path)
  const { about, ...found } = judgeAbout(skill)
  const judged = paths.map((path) => judgeFile(path, readFileSync(join(folder, path))))
  return { skill: about, files: paths.map(show), ...summarise([found, ...paths.map(judgeName), ...judged]) }
}

interface Found {
  readonly bad: readonly string[]
  readonly odd: readonly string[]
}

const show = (path: string): string => scanName(path) ?? '(a name that reads like an instruction)'

/** YAML writes a character by its number, too, so what was read is looked at beside what is written. */
function judgeAbout(skill: AboutSkill): Found & { readonly about: AboutSkill } {
  const { about, hidden, injection } = scanAbout(skill)
  const bad = [
    ...(hidden > 0 ? [`${skillFile} has frontmatter with ${hidden} characters that people do not see and models read`] : []),
    ...(injection === undefined ? [] : [`${skillFile} has frontmatter that wants to take over the agent ("${injection}")`]),
  ]
  return { about, bad, odd: [] }
}

/** The agent is told the names of files. */
function judgeName(path: string): Found {
  const shown = scanName(path)
  if (shown === undefined) return { bad: ['the name of a file wants to take over the agent'], odd: [] }
  return { bad: shown === path ? [] : [`the name of a file has characters that people do not see: ${shown}`], odd: [] }
}

function judgeFile(file: string, content: Buffer): Found {
  const path = show(file)
  if (content.includes(0)) return { bad: [], odd: [`${path} is no text, so nobody has looked into it`] }
  // Some editors begin every file with a mark; it hides nothing.
  const { hidden, injection, text } = scanText(content.toString('utf8').replace(/^\uFEFF/, ''))
  const bad = [
    ...(hidden > 0 ? [`${path} has ${hidden} characters that people do not see and models read`] : []),
    ...(injection ? [`${path}:${injection.line} wants to take over the agent ("${injection.words}")`] : []),
    ...(destructive.test(text) ? [`${path} deletes or overwrites a whole disk or home`] : []),
  ]
  const odd = [
    ...(pipedToShell.test(text) ? [`${path} runs what it downloads`] : []),
    ...(persistent.test(text) ? [`${path} changes what runs later or who may log in`] : []),
    ...(script.test(basename(file)) || text.startsWith('#!') ? [`${path} is a script, which the agent may run`] : []),
    ...(content.length > skillFileLimit ? [`${path} is too large for the agent to read`] : []),
  ]
  return { bad, odd }
}

function summarise(found: readonly Found[]): Pick<JudgedSkill, 'verdict' | 'findings'> {
  const bad = found.flatMap((each) => each.bad)
  const odd = found.flatMap((each) => each.odd)
  return { verdict: bad.length > 0 ? 'dangerous' : odd.length > 0 ? 'caution' : 'safe', findings: [...bad, ...odd] }
}
