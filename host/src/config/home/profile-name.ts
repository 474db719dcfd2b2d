/** The profile that is the home itself. */
export const defaultProfile = 'default'

/** Names of folders below `<home>/profiles`. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(name) && name !== defaultProfile
}
