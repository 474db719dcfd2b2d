export { logoutCommand as command } from './auth.ts'
