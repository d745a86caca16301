select 1 -- ü
