import { Command } from 'commander'
import { systemClock } from '#kernel/clock.ts'
import { findProvider } from '#models/select.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import { type LoginRow, listGivenKeys, listLogins } from '#rpc/logins/list-logins.ts'
import { logIn } from '#rpc/logins/log-in.ts'
import { logOut } from '#rpc/logins/log-out.ts'
import { confirmModel } from '../auth/confirm-model.ts'
import { addKey, removeKey, resetKeys } from '../auth/keep-keys.ts'
import { talkAt } from '../auth/talk-at.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { askerOf } from '../console/confirm.ts'

interface Options {
  readonly json?: true
}

export function command(cli: Cli): Command {
  const auth = new Command('auth').description('Log in to providers, and see and end logins.')
  auth
    .command('list', { isDefault: true })
    .description('the logins that there are')
    .option('--json', 'as JSON')
    .action((options: Options) => list(cli, options))
  auth
    .command('status <provider>')
    .description('whether a login would prove who asks; exit code 1 where it would not')
    .option('--json', 'as JSON')
    .action((provider: string, options: Options) => status(cli, provider, options))
  auth
    .command('add <provider>')
    .description('keep one more key of a provider, typed in or from standard input')
    .option('--label <text>', 'what it is called in the list')
    .action((provider: string, { label }: { label?: string }) => addKey(cli, provider, label))
  auth
    .command('remove <provider> <number>')
    .description('forget a key of the list')
    .action((provider: string, number: string) => removeKey(cli, provider, number))
  auth
    .command('reset <provider>')
    .description('use keys again that rest because they were refused')
    .action((provider: string) => resetKeys(cli, provider))
  auth.addCommand(loginCommand(cli))
  auth.addCommand(logoutCommand(cli))
  return auth
}

export function loginCommand(cli: Cli): Command {
  return new Command('login')
    .description('Log in to a provider, as its page says.')
    .argument('<provider>', 'provider to log in to; agent model lists them')
    .option('--no-try', 'without a call that tries it')
    .option('--json', 'as JSON')
    .action(async (wanted: string, options: Options & { readonly try: boolean }) => {
      const { lines, ...done } = await logIn(cli, wanted, { try: options.try, talk: talkAt(cli, wanted), ask: askerOf(cli) })
      if (options.json) cli.json(done)
      else for (const line of lines) cli.out(line)
      if (done.chosen && done.model && cli.terminal && !options.json) await confirmModel(cli, { id: done.provider }, done.model)
      if (done.answers === false) cli.exit(1)
    })
}

export function logoutCommand(cli: Cli): Command {
  return new Command('logout')
    .description('Forget the login of a provider.')
    .argument('<provider>', 'provider that needs no login any more')
    .option('--json', 'as JSON')
    .action(async (wanted: string, { json }: Options) => {
      const { provider, forgotten, said } = await logOut(cli, wanted)
      if (!forgotten) cli.exit(1)
      if (json) return cli.json({ provider, forgotten })
      for (const line of said) cli.out(line)
    })
}

async function list(cli: Cli, { json }: Options): Promise<void> {
  const opened = await openCatalog(cli)
  const rows = [...listLogins(opened.home, systemClock.now()), ...listGivenKeys(opened)]
  if (json) cli.json(rows)
  else if (rows.length === 0)
    cli.out('Nobody is logged in to anything, and no key is set. agent login PROVIDER begins a login; agent model lists the providers.')
  else
    cli.out(
      formatTable(rows.map((row) => [paint(cli, row.state === 'ended' ? 'red' : 'cyan', row.provider), row.kind, row.state, row.detail])),
    )
}

async function status(cli: Cli, wanted: string, { json }: Options): Promise<void> {
  const opened = await openCatalog(cli)
  const { id: provider, spec } = findProvider(opened.catalog, wanted)
  const all = [...listLogins(opened.home, systemClock.now()), ...listGivenKeys(opened)]
  const rows = all.filter((row) => row.provider === provider)
  if (json) cli.json({ provider, logins: rows })
  else if (rows.length > 0) for (const row of rows) cli.out(describe(row))
  else
    cli.out(
      spec.login
        ? `Nobody is logged in to ${provider}. agent login ${provider} begins a login.`
        : `${provider} has no login; it needs its key, ${spec.keyEnv[0] ?? 'model.api_key'}.`,
    )
  if (!rows.some(({ state }) => state !== 'ended')) cli.exit(1)
}

function describe({ provider, kind, state, detail, file }: LoginRow): string {
  return `${provider} (${kind}): ${state}; ${detail}. It lies in ${file}.`
}
