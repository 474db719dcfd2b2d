import { inject, vi } from 'vitest'

/**
 * Test files share their modules. While Stryker looks which test reaches a line, each file loads its own: else what a module makes when
 * it is loaded would count as reached by the one test that loads it first, and no other test would be asked.
 */
if ((inject as (key: string) => unknown)('mode') === 'dry-run') vi.resetModules()
