import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import { listProfiles } from '#config/home/profiles.ts'
import type { OpenCommandSandbox } from '#kernel/sandbox/command-sandbox.ts'
import type { Sandbox } from '#kernel/sandbox/sandbox.ts'

export interface CommandSandboxSource {
  readonly home: Home
  readonly loaded: Loaded
  readonly environment: Readonly<Record<string, string | undefined>>
}

/** The sandbox for programs of tools; loaded with the first of them. */
export function openCommandSandbox({ home, loaded, environment }: CommandSandboxSource, sandbox: Sandbox): OpenCommandSandbox {
  let opened: Promise<OpenCommandSandbox> | undefined
  const open = async (): Promise<OpenCommandSandbox> => {
    const { createCommandSandbox } = await import('#kernel/sandbox/command-sandbox.ts')
    return createCommandSandbox({
      level: sandbox.level,
      settings: () => loaded.config.terminal,
      environment: () => loaded.environment.forChildren(),
      userHome: homedir(),
      homes: () => [home.root, ...listProfiles(environment).map(({ path }) => path)],
      cache: join(home.files.cache, 'sandbox'),
      temporary: tmpdir(),
    })
  }
  const used = (): Promise<OpenCommandSandbox> => {
    opened ??= open()
    return opened
  }
  return {
    prepare: async (wish) => (await used()).prepare(wish),
    explain: async (ended) => (await used()).explain(ended),
    close: async () => (await opened)?.close(),
  }
}
