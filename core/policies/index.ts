export { sessionAnnotations, sessionReviews } from './sessions/records.ts'
