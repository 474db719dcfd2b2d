import type { Requirement } from './define-section.ts'
import { api } from './requirements/api.ts'
import { authentication } from './requirements/authentication.ts'
import { cli } from './requirements/cli.ts'
import { configuration } from './requirements/configuration.ts'
import { dashboard } from './requirements/dashboard.ts'
import { desktop } from './requirements/desktop.ts'
import { environment } from './requirements/environment.ts'
import { errors } from './requirements/errors.ts'
import { events } from './requirements/events.ts'
import { limits } from './requirements/limits.ts'
import { records } from './requirements/records.ts'
import { slash } from './requirements/slash.ts'
import { states } from './requirements/states.ts'
import { versioning } from './requirements/versioning.ts'
import { whatItDoes } from './requirements/what-it-does.ts'

/**
 * Every row and rule of the service's specification in our own words.
 * An id is never used again for something else; its hash is that of the row it stands for.
 */
export const requirements = {
  ...whatItDoes,
  ...records,
  ...configuration,
  ...environment,
  ...states,
  ...api,
  ...dashboard,
  ...desktop,
  ...cli,
  ...slash,
  ...authentication,
  ...events,
  ...errors,
  ...limits,
  ...versioning,
} as const satisfies Readonly<Record<string, Requirement>>

/** Requirements up to this milestone are due; reports name those that are still open. */
export const milestone = 5

export type RequirementId = keyof typeof requirements
