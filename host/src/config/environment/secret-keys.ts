/** True for a key of config.yaml whose value should stand in .env instead. */
export function isSecretKey(key: string): boolean {
  return /(?:^|[._-])(?:api_?key|key|token|secret|password|passwd|credentials?|authorization)$/i.test(key)
}

/** Stands where a secret is not shown. */
export function maskSecret(value: string): string {
  return value.length > 12 ? `${value.slice(0, 3)}…${value.slice(-3)}` : '…'
}
