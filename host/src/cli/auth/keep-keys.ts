import { createInterface } from 'node:readline'
import { fail } from '@agent/plugin-sdk/errors'
import { forgetKey, keepKey, wakeKeys } from '#config/auth/keys.ts'
import { systemClock } from '#kernel/clock.ts'
import { findProvider } from '#models/select.ts'
import { reloadGateway } from '#rpc/gateway/reload-gateway.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import type { Cli } from '../console/cli.ts'
import { openAsker } from '../setup/asker.ts'

const shortestKey = 4

/** Keeps one more key of a provider. It is typed in or comes by standard input: a command line is kept by the shell, and others see it. */
export async function addKey(cli: Cli, wanted: string, label: string | undefined): Promise<void> {
  const { home, catalog } = await openCatalog(cli)
  const { id: provider, spec } = findProvider(catalog, wanted)
  if (spec.auth === 'none' || spec.auth === 'login' || spec.protocol === undefined)
    throw fail('UNSUPPORTED', { what: 'several keys', by: provider })
  const key = (await readKey(cli, provider)).trim()
  if (key.length < shortestKey || /\s/.test(key))
    throw fail('USAGE', { problem: 'That is no key.', try: `agent auth add ${provider} < file-with-the-key` })
  const isNew = keepKey(home.files.auth, provider, { key, at: systemClock.now(), ...(label === undefined ? {} : { label }) })
  cli.out(isNew ? `The key is kept. ${provider} uses it beside the others.` : 'That key was there already.')
  if (isNew) for (const line of await reloadGateway(cli, home, { unchanged: 'The running gateway uses it from now on.' })) cli.out(line)
}

export async function removeKey(cli: Cli, wanted: string, number: string): Promise<void> {
  const { home, catalog } = await openCatalog(cli)
  const { id: provider } = findProvider(catalog, wanted)
  if (!forgetKey(home.files.auth, provider, Number(number)))
    throw fail('USAGE', { problem: `${provider} has no key ${number} here.`, try: 'agent auth list' })
  cli.out(`Key ${number} of ${provider} is forgotten.`)
  for (const line of await reloadGateway(cli, home, { unchanged: 'The running gateway has forgotten it, too.' })) cli.out(line)
}

export async function resetKeys(cli: Cli, wanted: string): Promise<void> {
  const { home, catalog } = await openCatalog(cli)
  const { id: provider } = findProvider(catalog, wanted)
  const count = wakeKeys(home.files.auth, provider)
  cli.out(count === 0 ? `No key of ${provider} rested.` : `${count === 1 ? 'One key' : `${count} keys`} of ${provider} may be used again.`)
}

async function readKey(cli: Cli, provider: string): Promise<string> {
  if (cli.terminal) {
    using asker = openAsker(cli)
    return await asker.askSecret(`Key of ${provider} (it is not shown): `)
  }
  const lines = createInterface({ input: cli.input })
  try {
    for await (const line of lines) if (line.trim() !== '') return line
    return ''
  } finally {
    lines.close()
  }
}
