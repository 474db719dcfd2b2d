import { execFileSync } from 'node:child_process'

/** A certificate for localhost that vouches for itself, and its key. */
export function makeCertificate(): string {
  const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-subj', '/CN=localhost']
  const words = [...request, '-addext', 'subjectAltName=DNS:localhost', '-keyout', '-', '-out', '-']
  return execFileSync('openssl', words, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], timeout: 10_000 })
}
