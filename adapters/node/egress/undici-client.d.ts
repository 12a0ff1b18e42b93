/** undici's file of its client; the index loads fetch, caches and web sockets too, Node's own copy among them. */
declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici'
}
