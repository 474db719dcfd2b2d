import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import { openContractWorld } from './contract-world.ts'

/** What the contract suite does with this platform. */
export const openWorld: () => Promise<PlatformWorld> = openContractWorld
