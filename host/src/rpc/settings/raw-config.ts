import { createHash, createHmac } from 'node:crypto'
import { fail } from '@agent/plugin-sdk/errors'
import { readEnvFile } from '#config/environment/env-file.ts'
import { openEnvironment } from '#config/environment/environment.ts'
import { isSecretKey } from '#config/environment/secret-keys.ts'
import { readConfigText } from '#config/file/config-text.ts'
import type { ConfigProblem } from '#config/file/loaded.ts'
import { readConfig } from '#config/file/read-config.ts'
import { isReference } from '#config/file/references.ts'
import { writeFileAtomic } from '#config/home/atomic-file.ts'
import { withFileLock } from '#config/home/file-lock.ts'
import type { Home } from '#config/home/home.ts'
import { findMisfits } from '#kernel/catalog/check-settings.ts'
import { maskText } from '#observe/mask.ts'
import { type OpenedCatalog, openCatalog } from '../home/open-catalog.ts'
import { openHomeOf } from '../home/open-home-of.ts'
import type { HomeContext } from '../home-context.ts'
import { asProblem, readProblems } from './read-problems.ts'

export interface RawText {
  /** A mark stands for each secret that is written in it. */
  readonly text: string
  /** Of the text as it is in the file. */
  readonly revision: string
  readonly problems: readonly ConfigProblem[]
}

const mark = /<secret-[0-9a-f]{16}>/g

/** config.yaml as it is shown. `salt`: the marks of two dashboards say nothing about each other. */
export async function readRaw(context: HomeContext, salt: string): Promise<RawText> {
  const home = openHomeOf(context, { create: false })
  const text = readConfigText(home.files.config) ?? ''
  const secrets = await listSecrets(context, home, text)
  const problems = (await readProblems(home, context)).filter(({ file }) => file === home.files.config)
  return { text: hide(text, secrets, salt), revision: printOf(text), problems: problems.map((one) => maskProblem(one, secrets)) }
}

/** Writes a text in which nothing is at fault. Gives back its problems; with an error among them nothing was written. */
export async function writeRaw(
  context: HomeContext,
  { text, revision }: Pick<RawText, 'text' | 'revision'>,
  salt: string,
): Promise<readonly ConfigProblem[]> {
  const home = openHomeOf(context, { create: false })
  const file = home.files.config
  const before = readConfigText(file) ?? ''
  if (printOf(before) !== revision) throw fail('HTTP_CHANGED', { what: 'config.yaml' })
  const secrets = await listSecrets(context, home, before)
  const values = new Map(secrets.map((secret) => [markOf(secret, salt), secret]))
  const whole = text.replace(mark, (one) => values.get(one) ?? one)
  const problems = [...findLost(whole, file), ...(await checkRaw(context, home, whole))].map((one) => maskProblem(one, secrets))
  if (problems.some(({ level }) => level === 'error')) return problems
  withFileLock(file, () => {
    if (printOf(readConfigText(file) ?? '') !== revision) throw fail('HTTP_CHANGED', { what: 'config.yaml' })
    writeFileAtomic(file, whole, { keepMode: true })
  })
  return problems
}

/** A mark whose secret this process does not know. */
function findLost(text: string, file: string): readonly ConfigProblem[] {
  return text.split('\n').flatMap((line, at): ConfigProblem[] => {
    const problem = 'holds a mark for a secret that is gone; write the secret there'
    return line.search(mark) === -1 ? [] : [{ file, line: at + 1, key: 'this line', problem, level: 'error' }]
  })
}

async function checkRaw(context: HomeContext, home: Home, text: string): Promise<readonly ConfigProblem[]> {
  try {
    const opened = await openSound(context, home)
    const environment = opened?.loaded.environment ?? openEnvironment(context.environment, readEnvFile(home.files.env).values)
    const { config, problems, lineOf } = await readConfig(home.files.config, text, environment)
    const found = await Promise.all(
      (opened?.catalog.plugins ?? []).map(async ({ id, installed }) => {
        const misfits = installed ? await findMisfits(installed.manifest, config) : []
        const place = { file: home.files.config, level: 'error', plugin: id } as const
        return misfits.map(({ path, problem }): ConfigProblem => ({ ...place, line: lineOf(path), key: path.join('.'), problem }))
      }),
    )
    return [...problems, ...found.flat()].sort((one, other) => one.line - other.line)
  } catch (error) {
    return [asProblem(error, home)]
  }
}

/** Undefined where the file of now cannot be read: it may be mended all the same. */
async function openSound(context: HomeContext, home: Home): Promise<OpenedCatalog | undefined> {
  try {
    return await openCatalog(context)
  } catch (error) {
    asProblem(error, home)
    return undefined
  }
}

/** Values of secrets that may stand in the text, the longest first. */
async function listSecrets(context: HomeContext, home: Home, text: string): Promise<readonly string[]> {
  const opened = await openSound(context, home)
  const environment = opened?.loaded.environment ?? openEnvironment(context.environment, readEnvFile(home.files.env).values)
  const written = [...text.matchAll(/([\w.-]+)["']?[ \t]*:[ \t]+("[^"\n]*"|'[^'\n]*'|[^\s,}\]#][^\s,}\]]*)/g)].flatMap(
    ([, key = '', value = '']) => {
      const plain = value.replace(/^(["'])(.*)\1$/, '$2')
      return isSecretKey(key) && plain !== '' && !isReference(plain) && plain.search(mark) === -1 ? [plain] : []
    },
  )
  return [...new Set([...written, ...environment.secrets()])].sort((one, other) => other.length - one.length)
}

function hide(text: string, secrets: readonly string[], salt: string): string {
  return secrets.reduce((shown, secret) => shown.replaceAll(secret, markOf(secret, salt)), text)
}

const markOf = (secret: string, salt: string): string => `<secret-${createHmac('sha256', salt).update(secret).digest('hex').slice(0, 16)}>`
const printOf = (text: string): string => createHash('sha256').update(text).digest('hex')

function maskProblem(one: ConfigProblem, secrets: readonly string[]): ConfigProblem {
  return { ...one, key: maskText(one.key, secrets), problem: maskText(one.problem, secrets) }
}
