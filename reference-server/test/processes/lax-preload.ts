import Database from 'better-sqlite3'

// A broken build: the pragma that asks for a sync with each commit is turned down, and read back as if it were not.
const pragma = Database.prototype.pragma
Database.prototype.pragma = function lax(text, options) {
  if (text.startsWith('synchronous =')) return pragma.call(this, 'synchronous = NORMAL', options)
  return text === 'synchronous' ? 2 : pragma.call(this, text, options)
}
