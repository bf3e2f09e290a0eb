/* Included once for each of MPI's two binary interfaces: what HANDLE is there, and member H of a union of both. */

typedef struct NAME(functions) {
    int (*comm_rank)(HANDLE, int *);
    int (*comm_size)(HANDLE, int *);
    int (*comm_dup)(HANDLE, HANDLE *);
    int (*comm_set_errhandler)(HANDLE, HANDLE);
    int (*isend)(const void *, int, HANDLE, int, int, HANDLE, HANDLE *);
    int (*irecv)(void *, int, HANDLE, int, int, HANDLE, HANDLE *);
    int (*test)(HANDLE *, int *, void *);
    int (*iprobe)(int, int, HANDLE, int *, void *);
    int (*cancel)(HANDLE *);
    int (*request_free)(HANDLE *);
    int (*abort)(HANDLE, int);
} NAME(functions);

static NAME(functions) NAME(mpi);

static const symbol NAME(symbols)[] = {{"MPI_Init_thread", &common.init_thread},
                                       {"MPI_Initialized", &common.initialized},
                                       {"MPI_Finalize", &common.finalize},
                                       {"MPI_Finalized", &common.finalized},
                                       {"MPI_Comm_rank", &NAME(mpi).comm_rank},
                                       {"MPI_Comm_size", &NAME(mpi).comm_size},
                                       {"MPI_Comm_dup", &NAME(mpi).comm_dup},
                                       {"MPI_Comm_set_errhandler", &NAME(mpi).comm_set_errhandler},
                                       {"MPI_Isend", &NAME(mpi).isend},
                                       {"MPI_Irecv", &NAME(mpi).irecv},
                                       {"MPI_Test", &NAME(mpi).test},
                                       {"MPI_Iprobe", &NAME(mpi).iprobe},
                                       {"MPI_Cancel", &NAME(mpi).cancel},
                                       {"MPI_Request_free", &NAME(mpi).request_free},
                                       {"MPI_Abort", &NAME(mpi).abort},
                                       MORE_SYMBOLS};

/* Another communicator with all processes, for this library. */
static bool NAME(join)(const handles *of, fa__mpi_handle *own, int *rank, int *size)
{
    return !NAME(mpi).comm_dup(of->world.H, &own->H) && !NAME(mpi).comm_set_errhandler(own->H, of->errors_return.H)
           && !NAME(mpi).comm_rank(own->H, rank) && !NAME(mpi).comm_size(own->H, size);
}

static bool NAME(begin)(const handles *of, fa__mpi_handle own, bool receives, const struct iovec *part, int peer,
                        int tag, fa__mpi_handle *request)
{
    int bytes = (int)part->iov_len;
    return receives ? !NAME(mpi).irecv(part->iov_base, bytes, of->byte.H, peer, tag, own.H, &request->H)
                    : !NAME(mpi).isend(part->iov_base, bytes, of->byte.H, peer, tag, own.H, &request->H);
}

static bool NAME(test)(const handles *of, fa__mpi_handle *request, int *done)
{
    return !NAME(mpi).test(&request->H, done, of->status_ignore);
}

static bool NAME(probe)(const handles *of, fa__mpi_handle own, int peer, int tag, int *there)
{
    return !NAME(mpi).iprobe(peer, tag, own.H, there, of->status_ignore);
}

static void NAME(let_go)(fa__mpi_handle *request)
{
    NAME(mpi).request_free(&request->H);
}

static void NAME(cancel)(fa__mpi_handle *request)
{
    NAME(mpi).cancel(&request->H);
    NAME(mpi).request_free(&request->H);
}

static void NAME(abort)(fa__mpi_handle own)
{
    NAME(mpi).abort(own.H, 1);
}

static const calls NAME(calls) = {NAME(join),   NAME(begin),  NAME(test), NAME(probe),
                                  NAME(let_go), NAME(cancel), NAME(abort)};

#undef NAME
#undef HANDLE
#undef H
#undef MORE_SYMBOLS
