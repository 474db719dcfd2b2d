import { Command } from 'commander'
import { printable } from '#observe/printable.ts'
import { type HomePairing, resolvePlatform, withPairing } from '#rpc/pairing/open-home-pairing.ts'
import { tellLetIn } from '#rpc/pairing/tell-let-in.ts'
import { type Cli, formatTable, paint } from '../console/cli.ts'
import { formatAge } from '../console/format-age.ts'

export function command(cli: Cli): Command {
  const pairing = new Command('pairing').description('Decide who may write to the agent on messaging platforms.')
  pairing
    .command('list', { isDefault: true })
    .description('who waits for an approval, and who was let in')
    .option('--json', 'as JSON')
    .action(({ json }: { json?: true }) => withPairing(cli, (opened) => list(cli, opened, json === true)))
  pairing
    .command('approve <platform> <code>')
    .description('let in the person who got this code')
    .action((platform: string, code: string) => withPairing(cli, (opened) => approve(cli, opened, platform, code)))
  pairing
    .command('revoke <platform> <user>')
    .description('let a person in no longer')
    .action((platform: string, user: string) => withPairing(cli, (opened) => revoke(cli, opened, platform, user)))
  pairing
    .command('clear-pending')
    .description('make every open code worthless')
    .action(() => withPairing(cli, (opened) => clearPending(cli, opened)))
  return pairing
}

async function list(cli: Cli, { pairing, platforms, admissions }: HomePairing, json: boolean): Promise<void> {
  const pending = platforms.flatMap((platform) => pairing.waiting(platform).map((request) => ({ platform, ...request })))
  const approved = platforms.flatMap((platform) => pairing.approved(platform).map((person) => ({ platform, ...person })))
  const locked = platforms.flatMap((platform) => {
    const until = pairing.lockedUntil(platform)
    return until === undefined ? [] : [{ platform, until }]
  })
  if (json) return cli.json({ pending, approved, locked, admissions })
  for (const { platform, until } of locked) cli.note(`Pairing on ${platform} is locked until ${new Date(until).toISOString()}.`)
  const rows = (people: typeof approved, state: string): readonly (readonly string[])[] =>
    people.map(({ platform, account, user, name, at }) => [
      platform,
      paint(cli, 'cyan', printable(user)),
      // Where people have no id apart from it, their name says nothing more.
      printable(name === user ? '' : (name ?? '')),
      `at ${printable(account)}`,
      `${state} ${formatAge(Date.now() - at)} ago`,
    ])
  if (pending.length + approved.length === 0) cli.out('Nobody waits for an approval, and nobody was let in by pairing.')
  else cli.out(formatTable([...rows(pending, 'asked'), ...rows(approved, 'let in')]))
  describeAdmissions(cli, admissions)
  if (pending.length > 0) cli.out('\nWho asked has a code: agent pairing approve PLATFORM CODE lets them in.')
}

function describeAdmissions(cli: Cli, admissions: HomePairing['admissions']): void {
  if (admissions.length === 0) return
  cli.out('\nThe settings name others:')
  cli.out(formatTable(admissions.map(({ platform, by, who }) => [`  ${platform}`, by, printable(who.join(', '))])))
}

async function approve(cli: Cli, opened: HomePairing, word: string, code: string): Promise<void> {
  const platform = resolvePlatform(opened.platforms, word)
  const person = await opened.pairing.approve(platform, code)
  const told = await tellLetIn(opened, platform, person)
  cli.out(`${printable(person.user)} may write to ${printable(person.account)} on ${platform} now, in direct messages. ${told}`)
}

async function revoke(cli: Cli, { pairing, platforms }: HomePairing, word: string, user: string): Promise<void> {
  const platform = resolvePlatform(platforms, word)
  const ended = await pairing.revoke(platform, user)
  if (ended > 0) cli.out(`${printable(user)} is let in on ${platform} by pairing no longer. The lists of the settings still hold.`)
  else cli.out(`The code of ${printable(user)} on ${platform} is worthless now.`)
}

async function clearPending(cli: Cli, { pairing, platforms }: HomePairing): Promise<void> {
  let count = 0
  for (const platform of platforms) count += await pairing.clearPending(platform)
  cli.out(count === 1 ? 'One code is worthless now.' : `${count} codes are worthless now.`)
}
