import { switchPlugin as writeSwitch } from '#rpc/plugins/switch-plugin.ts'
import type { Cli } from '../console/cli.ts'
import { printJson } from './listing/print-plugins.ts'

export interface SwitchOptions {
  readonly json?: true
}

/** Switches a plugin, then prints what that has changed. */
export async function switchPlugin(cli: Cli, word: string, to: 'on' | 'off', { json }: SwitchOptions): Promise<void> {
  const { plugin, said } = await writeSwitch(cli, word, to)
  if (json) return printJson(cli, [plugin])
  for (const line of said) cli.out(line)
}
