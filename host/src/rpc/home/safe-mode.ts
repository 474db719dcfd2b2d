import { openEnvironment } from '#config/environment/environment.ts'
import type { HomeContext } from '../home-context.ts'

export interface SafeModeFlags {
  readonly safeMode?: true
  readonly ignoreUserConfig?: true
}

/** What an agent is opened with. */
export interface SafeMode {
  readonly environment: HomeContext['environment']
  readonly safeMode: boolean
  readonly ignoreUserConfig: boolean
}

const off = ['', '0', 'false', 'no', 'off']

/** Safe mode comes from a flag, or from the agent that started this one; what this one starts gets it too. */
export function applySafeMode({ environment }: Pick<HomeContext, 'environment'>, flags: SafeModeFlags = {}): SafeMode {
  const inherited = openEnvironment(environment).get('AGENT_SAFE_MODE') ?? ''
  const safeMode = flags.safeMode === true || !off.includes(inherited.toLowerCase())
  return {
    environment: safeMode ? { ...environment, AGENT_SAFE_MODE: '1' } : environment,
    safeMode,
    ignoreUserConfig: safeMode || flags.ignoreUserConfig === true,
  }
}
