import { readFileSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { detailOf, fail } from '@agent/plugin-sdk/errors'
import { Command } from 'commander'
import { nameSession } from '#commands/session-commands.ts'
import { sayTakenBack } from '#commands/undo-command.ts'
import { newId } from '#kernel/ids.ts'
import { withStore } from '#rpc/home/open-home-store.ts'
import { formatExport } from '#store/exported/format-export.ts'
import type { Sessions } from '#store/sessions.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import type { PruneOptions } from './prune.ts'
import { sessionRow } from './session-row.ts'

interface ListOptions {
  readonly limit: string
  readonly source?: string
  readonly json?: true
}

interface Sure {
  readonly yes?: true
}

export function command(cli: Cli): Command {
  const sessions = new Command('sessions').description('Find, name, copy, export and delete past conversations.')
  sessions
    .command('list', { isDefault: true })
    .description('newest first')
    .option('--limit <n>', 'how many', '20')
    .option('--source <door>', 'only those of one door: cli, oneshot or the name of a platform')
    .option('--json', 'as JSON')
    .action((options: ListOptions) => withStore(cli, (store) => list(cli, store.sessions, options)))
  sessions
    .command('search <words...>')
    .description('find messages: all words, "a phrase", the beginning of a word*')
    .option('--limit <n>', 'how many', '20')
    .option('--source <door>', 'only those of one door')
    .option('--json', 'as JSON')
    .action((words: readonly string[], options: ListOptions) =>
      withStore(cli, (store) => search(cli, store.sessions, words.join(' '), options)),
    )
  sessions
    .command('rename <session> <title...>')
    .description('give a session a title; session is a title, an id or the beginning of one, or latest')
    .action((session: string, title: readonly string[]) => withStore(cli, (store) => rename(cli, store.sessions, session, title.join(' '))))
  sessions
    .command('branch <session> [title...]')
    .description('copy a session with all that was said, to go on in the copy')
    .action((session: string, title: readonly string[]) => withStore(cli, (store) => branch(cli, store.sessions, session, title.join(' '))))
  sessions
    .command('undo <session>')
    .description('take what was said last out of a session, and the answer to it')
    .option('--yes', 'without asking')
    .action((session: string, options: Sure) => withStore(cli, (store) => undo(cli, store.sessions, session, options)))
  sessions
    .command('export <session> [file]')
    .description('write a session as JSON lines, to a file or to standard output; import reads them')
    .action((session: string, file: string | undefined) => withStore(cli, (store) => exportSession(cli, store.sessions, session, file)))
  sessions
    .command('import <file>')
    .description('read a session that export wrote; where its id is taken, it gets another one')
    .option('--replace', 'in the place of the session that has its id')
    .action((file: string, options: { replace?: true }) => withStore(cli, (store) => importSession(cli, store.sessions, file, options)))
  sessions
    .command('delete <session>')
    .description('delete a session for good')
    .option('--yes', 'without asking')
    .action((session: string, options: Sure) => withStore(cli, (store) => remove(cli, store.sessions, session, options)))
  sessions
    .command('prune')
    .description('delete sessions that nobody has used for long, but none that you gave a title')
    .option('--older-than <age>', 'last used so many days or weeks ago: 30d, 8w (as sessions.retention_days says)')
    .option('--keep <n>', 'so many of the newest stay')
    .option('--titled', 'those that you gave a title, too')
    .option('--dry-run', 'only list them')
    .option('--yes', 'without asking')
    .option('--json', 'as JSON')
    .action((options: PruneOptions) =>
      withStore(cli, async (store, _home, config) =>
        (await import('./prune.ts')).pruneSessions(cli, store.sessions, options, config.sessions.retention_days),
      ),
    )
  return sessions
}

async function list(cli: Cli, sessions: Sessions, options: ListOptions): Promise<void> {
  const found = await sessions.list({ limit: parseLimit(options.limit), source: options.source || undefined })
  if (options.json) return cli.json({ sessions: found })
  if (found.length === 0) return cli.out('No sessions yet. agent chat starts one.')
  cli.out(formatTable(found.map((session) => sessionRow(cli, session))))
}

async function search(cli: Cli, sessions: Sessions, query: string, options: ListOptions): Promise<void> {
  const hits = await sessions.search(query, { limit: parseLimit(options.limit), source: options.source || undefined })
  if (options.json) return cli.json({ hits })
  if (hits.length === 0) return cli.out(`Nothing found for ${query}.`)
  cli.out(formatTable(hits.map((hit) => [paint(cli, 'cyan', hit.session), hit.role, hit.snippet.replaceAll(/\s+/g, ' ')])))
}

async function rename(cli: Cli, sessions: Sessions, reference: string, title: string): Promise<void> {
  const { id } = await sessions.resolve(reference)
  cli.out(`${id} is now called "${await sessions.rename(id, title)}".`)
}

async function exportSession(cli: Cli, sessions: Sessions, reference: string, file: string | undefined): Promise<void> {
  const { id } = await sessions.resolve(reference)
  const lines: string[] = []
  let messages = 0
  for await (const line of sessions.export(id)) {
    lines.push(formatExport(line))
    if (line.type === 'message') messages += 1
  }
  if (file === undefined) return cli.out(lines.join('\n'))
  writeFileSync(resolve(cli.cwd, file), `${lines.join('\n')}\n`, { mode: 0o600 })
  cli.out(`${id}: ${messages} messages written to ${file}.`)
}

async function branch(cli: Cli, sessions: Sessions, reference: string, title: string): Promise<void> {
  const from = await sessions.resolve(reference)
  const made = await sessions.branch(from.id, { as: newId('ses'), title: title || undefined })
  cli.out(`${nameSession(made)} is a copy of ${nameSession(from)}. agent chat --resume ${made.id} goes on with it.`)
}

async function undo(cli: Cli, sessions: Sessions, reference: string, options: Sure): Promise<void> {
  const { id, title } = await sessions.resolve(reference)
  if (!(await isSure(cli, options, `Take the last turn out of ${title ?? id}?`))) return cli.out('Nothing was taken back.')
  cli.out(sayTakenBack(await sessions.takeBack(id)))
}

async function importSession(cli: Cli, sessions: Sessions, path: string, { replace = false }: { replace?: boolean }): Promise<void> {
  const { readExport } = await import('#store/exported/read-export.ts')
  const exported = readExport(path, readText(resolve(cli.cwd, path)))
  const { session, was } = await sessions.import(exported, { otherId: newId('ses'), replace })
  const { id } = exported.session
  const how = { free: '', replaced: ' in the place of the one that was here', taken: `; ${id} was here already and stays as it is` }[was]
  cli.out(
    `${nameSession(session)} was imported with ${session.messages} messages${how}. agent chat --resume ${session.id} goes on with it.`,
  )
}

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw fail('FILE_UNREADABLE', {
      path,
      problem: `cannot be read (${detailOf(error)})`,
      fix: 'name a file that agent sessions export wrote',
    })
  }
}

async function remove(cli: Cli, sessions: Sessions, reference: string, options: Sure): Promise<void> {
  const { id, title } = await sessions.resolve(reference)
  if (!(await isSure(cli, options, `Delete ${title ?? id} for good?`))) return cli.out('Nothing was deleted.')
  await sessions.delete(id)
  cli.out(`${id} was deleted.`)
}

async function isSure(cli: Cli, { yes }: Sure, question: string): Promise<boolean> {
  return yes === true || (await (await import('../console/confirm.ts')).confirm(cli, question))
}

function parseLimit(text: string): number {
  const limit = Number(text)
  if (!Number.isInteger(limit) || limit < 1)
    throw fail('USAGE', { problem: `--limit takes a whole number, not "${text}".`, try: 'agent sessions list --limit 20' })
  return limit
}
