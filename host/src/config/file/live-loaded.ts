import type { Environment } from '../environment/environment.ts'
import type { Loaded } from './loaded.ts'

/** Settings whose holders see them change. */
export interface LiveLoaded {
  readonly loaded: Loaded
  /** What holds now, unchanging. */
  now(): Loaded
  replace(next: Loaded): void
}

export function createLiveLoaded(first: Loaded): LiveLoaded {
  let current = first
  const environment = createLiveEnvironment(() => current.environment)
  return {
    loaded: {
      get config() {
        return current.config
      },
      get problems() {
        return current.problems
      },
      get migrated() {
        return current.migrated
      },
      environment,
      get loggedIn() {
        return current.loggedIn
      },
      sourceOf: (key) => current.sourceOf(key),
      overriddenBy: (key) => current.overriddenBy(key),
      placeOf: (path) => current.placeOf(path),
      placeOfVariable: (name) => current.placeOfVariable(name),
    },
    now: () => current,
    replace: (next) => {
      // What was secret stays so: it may stand in a message that is still on its way to the log.
      for (const secret of current.environment.secrets()) next.environment.keepSecret(secret)
      current = next
    },
  }
}

function createLiveEnvironment(now: () => Environment): Environment {
  return {
    get: (name) => now().get(name),
    has: (name) => now().has(name),
    source: (name) => now().source(name),
    reference: (name, options) => now().reference(name, options),
    declare: (listed) => now().declare(listed),
    declarePlatform: (id, names) => now().declarePlatform(id, names),
    platform: (id) => now().platform(id),
    keepSecret: (value) => now().keepSecret(value),
    secrets: () => now().secrets(),
    unread: () => now().unread(),
    printsOfFile: (salt) => now().printsOfFile(salt),
    forChildren: () => now().forChildren(),
  }
}
