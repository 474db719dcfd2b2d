import type { PlatformWorld } from '@agent/plugin-sdk/testing'
import { openWhatsappWorld } from './whatsapp-world.ts'

/** What the contract suite does with this platform. */
export const openWorld: () => Promise<PlatformWorld> = openWhatsappWorld
