import type { Loaded } from '#config/file/loaded.ts'
import type { Home } from '#config/home/home.ts'
import type { Contribution } from '#kernel/catalog/catalog.ts'
import { defaultLockFolder, lockCredential } from './credential-lock.ts'

export interface LockPlatformOptions {
  readonly home: Pick<Home, 'path'>
  readonly loaded: Pick<Loaded, 'environment'>
  /** Where credentials are locked; absent: where all gateways of this user look. */
  readonly locks?: string
}

/** Takes the credential that only one connection may use, where the manifest names one. Throws CREDENTIAL_IN_USE. */
export function lockPlatform(
  { home, loaded, locks }: LockPlatformOptions,
  { id, spec }: Pick<Contribution<'platform'>, 'id' | 'spec'>,
): () => void {
  const { singletonLock: name, label } = spec
  if (name === undefined || !loaded.environment.has(name)) return () => undefined
  const credential = loaded.environment.get(name) ?? ''
  return lockCredential({ folder: locks ?? defaultLockFolder(), platform: id, label, name, credential, home: home.path })
}
