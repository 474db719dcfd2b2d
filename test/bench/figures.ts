import type { Figure } from './figure.ts'
import { oneShot } from './figures/one-shot.ts'
import { pluginsList } from './figures/plugins-list.ts'
import { version } from './figures/version.ts'

/** In the order of the table. */
export const figures: readonly Figure[] = [version, pluginsList, oneShot]
