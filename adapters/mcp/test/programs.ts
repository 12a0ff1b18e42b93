import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

/** The command `countersign-mcp`. */
export const main = fileURLToPath(new URL('../main.js', import.meta.url))
/** Of a server that nobody here wrote; its program is `dist/index.js` beside it. */
export const manifest = createRequire(import.meta.url).resolve(
  '@modelcontextprotocol/server-filesystem/package.json',
)
/** Declares the tasks extension, as `_meta` of a request. */
export const declared = {
  'io.modelcontextprotocol/clientCapabilities': {
    extensions: { 'io.modelcontextprotocol/tasks': {} },
  },
}
