import dynolith from './index.cjs';

export const {Database, DynolithError, RequestHandler, version} = dynolith;
