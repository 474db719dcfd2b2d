import type { CodeKind, ContractKind } from '../../kinds/kinds.ts'
import { commandsContract } from './commands.ts'
import { contextContract } from './context.ts'
import { gateContract } from './gate.ts'
import { hooksContract } from './hooks.ts'
import { imageContract } from './image.ts'
import { memoryContract } from './memory.ts'
import { notifierContract } from './notifier.ts'
import { panelContract } from './panel.ts'
import { platformContract } from './platform.ts'
import { providerContract } from './provider.ts'
import { skillsContract } from './skills.ts'
import type { ContractCase, ReadOptions, RunOptions } from './stage.ts'
import { toolsetContract } from './toolset.ts'
import { webBackendContract } from './web-backend.ts'

export type { CommandsContractOptions, CommandsWorld } from './commands.ts'
export { commandsContract } from './commands.ts'
export type { ContextContractOptions, ContextWorld } from './context.ts'
export { contextContract } from './context.ts'
export type { GateContractOptions, GateWorld } from './gate.ts'
export { gateContract } from './gate.ts'
export type { HooksContractOptions, HooksWorld } from './hooks.ts'
export { hooksContract } from './hooks.ts'
export type { ImageContractOptions, ImageWorld } from './image.ts'
export { imageContract } from './image.ts'
export type { MemoryContractOptions, MemoryWorld } from './memory.ts'
export { memoryContract } from './memory.ts'
export type { NotifierContractOptions, NotifierWorld } from './notifier.ts'
export { notifierContract } from './notifier.ts'
export type { PanelContractOptions, PanelTrial, PanelWorld } from './panel.ts'
export { panelContract } from './panel.ts'
export { platformContract } from './platform.ts'
export type { PlatformContractOptions, PlatformWorld, WorldFile } from './platform-world.ts'
export type { ProviderContractOptions, ProviderWorld } from './provider.ts'
export { providerContract } from './provider.ts'
export type { ToolsetContractOptions, ToolsetWorld } from './toolset.ts'
export { toolsetContract } from './toolset.ts'
export type { WebBackendContractOptions, WebBackendWorld } from './web-backend.ts'
export { webBackendContract } from './web-backend.ts'

/** The suite of a kind takes the world of that kind; which one a plugin brings is known when its contract is opened. */
export type Suite<Kind extends ContractKind> = [Kind] extends [CodeKind]
  ? (options: RunOptions<Kind> & { readonly world: () => Promise<never> }) => readonly ContractCase[]
  : (options: ReadOptions) => readonly ContractCase[]

/** The rules of each kind. */
export const suites: { readonly [Kind in ContractKind]: Suite<Kind> } = {
  platform: platformContract,
  provider: providerContract,
  toolset: toolsetContract,
  'web-backend': webBackendContract,
  image: imageContract,
  context: contextContract,
  memory: memoryContract,
  notifier: notifierContract,
  panel: panelContract,
  gate: gateContract,
  hooks: hooksContract,
  commands: commandsContract,
  skills: skillsContract,
}
