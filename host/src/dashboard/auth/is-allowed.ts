/** Who of an identity provider may use the dashboard. */
export interface AllowedPeople {
  /** Subjects; `*` stands for everybody. */
  readonly users: readonly string[]
  /** In small letters. */
  readonly emails: readonly string[]
  readonly groups: readonly string[]
}

export type Claims = Readonly<Record<string, unknown>>

/** Goes by what people cannot choose for themselves: the subject, an address that was verified, a group. Names prove nothing. */
export function isAllowed({ users, emails, groups }: AllowedPeople, claims: Claims): boolean {
  const { sub, email, email_verified: isVerified, groups: given } = claims
  if (typeof sub !== 'string' || sub === '') return false
  if (users.includes('*') || users.includes(sub)) return true
  if (typeof email === 'string' && isVerified === true && emails.includes(email.toLowerCase())) return true
  return Array.isArray(given) && given.some((group) => groups.includes(group))
}
