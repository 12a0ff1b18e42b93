/**
 * Express 5: `app.post('/hook', expressHandler(receiver))`. A body parser before it has to keep the raw bytes:
 * `express.raw({ type: '*\/*' })`, or `express.json({ verify: (req, _res, bytes) => { req.rawBody = bytes } })`.
 */
export { nodeHandler as expressHandler } from './node.ts'
