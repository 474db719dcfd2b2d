export { loginCommand as command } from './auth.ts'
