import { findForm, listForms } from '#gateway/setup/platform-form.ts'
import { describeTested, findRunning, testConnection } from '#rpc/gateway/test-connection.ts'
import { openCatalog } from '#rpc/home/open-catalog.ts'
import type { Cli } from '../console/cli.ts'

/** Connects a platform as it is set up, and says as whom or what is wrong. */
export async function testPlatform(cli: Cli, word: string, json: boolean): Promise<void> {
  const { catalog, loaded, home } = await openCatalog(cli)
  const form = findForm(listForms(catalog, loaded.environment), word)
  const found = findRunning(home, form) ?? (await testConnection(cli, form))
  if (!found.ok) cli.exit(1)
  if (json) cli.json(found)
  else if (found.ok) cli.out(describeTested(form, found))
  else cli.note(describeTested(form, found))
}
