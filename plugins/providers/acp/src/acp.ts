import { constants } from 'node:fs'
import { access, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import type { Call, ModelSource, Provider, ProviderContext } from '@agent/plugin-sdk'
import { withTimeLimit } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type AgentProcess, startAgentProcess } from './agent-process.ts'
import { answer, type OpenedAgent } from './answer.ts'
import type { AcpConfig } from './config.ts'
import { listModels, openSession } from './open-session.ts'
import { findPreset, type Preset } from './presets.ts'
import { initialized } from './wire.ts'

const startMs = 60_000

/** An agent on this machine answers as a model would. It is started at the first request, and again when it has ended. */
const provider: Provider<AcpConfig> = {
  async open(context) {
    const { contribution } = context.about
    const preset = findPreset(contribution as keyof AcpConfig, context.config)
    if (!preset) {
      const problem = `${contribution} does not know which program to start.`
      throw fail('USAGE', { problem, try: 'plugins.entries.provider-acp.config.acp.command in config.yaml: its name or path' })
    }
    const environment = await context.environment()
    await findProgram(preset, environment.PATH ?? '')
    const folder = await mkdtemp(join(tmpdir(), 'agent-acp-'))
    context.effect(() => rm(folder, { recursive: true, force: true }))
    let running: Promise<OpenedAgent> | undefined
    let process: AgentProcess | undefined
    context.effect(async () => {
      process?.end()
      await process?.ended(context.clock)
    })
    const start = async (): Promise<OpenedAgent> => {
      process = startAgentProcess({ ...preset, environment, folder, log: context.log })
      return { process, folder, capabilities: await greet(process, context) }
    }
    const agent = (): Promise<OpenedAgent> => {
      if (!running || process?.isAlive() === false) {
        running = start()
        running.catch(() => {
          running = undefined
          process?.end()
        })
      }
      return running
    }
    const source: ModelSource = {
      stream: (request, call) => answer({ agent, login: preset.login, provider: contribution }, request, call),
      models: async (call: Call) => {
        const opened = await agent()
        call.signal.throwIfAborted()
        return listModels(await openSession(opened))
      },
    }
    return source
  },
}

export default provider

async function greet(process: AgentProcess, { clock, signal, about }: ProviderContext): Promise<OpenedAgent['capabilities']> {
  const hello = {
    protocolVersion: 1,
    clientCapabilities: { fs: { readTextFile: false, writeTextFile: false }, terminal: false },
    clientInfo: { name: 'agent', version: about.agentVersion },
  }
  const answered = await withTimeLimit({ clock, signal, ms: startMs, what: 'the start of the agent' }, () =>
    process.request('initialize', hello),
  )
  return initialized.parse(answered).agentCapabilities
}

/** Looks for the program where a shell would: what is missing is told before anything is asked. */
async function findProgram({ command, install }: Preset, path: string): Promise<void> {
  const places = command.includes('/') ? [command] : path.split(delimiter).map((folder) => join(folder, command))
  const found = await Promise.all(
    places.map((place) =>
      access(place, constants.X_OK).then(
        () => true,
        () => false,
      ),
    ),
  )
  if (!found.includes(true))
    throw fail('USAGE', {
      problem: `${command} is not installed: ${command.includes('/') ? 'no program is there' : 'there is no such program on the PATH'}.`,
      try: install,
    })
}
